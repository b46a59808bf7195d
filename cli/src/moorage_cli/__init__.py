"""`moor`: operate Moorage from a terminal."""
