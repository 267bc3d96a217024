"""The contract of an agent as tries that anybody can make: what it must do, how it must fail, what it must not reach."""
