"""What is known of each note apart from its text and links: dates, facts, lists, fields."""
