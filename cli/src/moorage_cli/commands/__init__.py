"""What `moor` can do by itself: one module for each noun, loaded when it is called."""
