"""Controllers: the processes of app teams that claim operations, watch instances and report.

Owns replicas, watches and usage. What an operation is and when it is ready is the operations'
business; what an instance is, the instances'.
"""
