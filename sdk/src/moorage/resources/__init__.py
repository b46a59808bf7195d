"""One module for each kind of object, one method for each operation of the contract."""
