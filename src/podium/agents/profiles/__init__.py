"""What is known of each agent program: how it is started, what it needs, what it must not be left to do by itself."""
