"""Echo: the smallest honest app. A store of keys and values with one leader and its replicas."""
