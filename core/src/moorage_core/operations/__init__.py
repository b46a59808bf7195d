"""Operations: durable wishes to change something, with their lease and fence.

Owns operations and the grants that open them. What is done under one are tasks.
"""
