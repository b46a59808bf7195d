"""Views: tables that an app publishes about its instance, for people to read.

Owns views and their rows. What a view is called and has as columns, the manifest says; what stands
in it, the controller.
"""
