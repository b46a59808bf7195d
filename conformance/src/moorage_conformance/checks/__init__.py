"""What the kit looks at: a module for each pass through an app's life."""
