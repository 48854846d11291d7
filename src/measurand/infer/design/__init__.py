"""What a design can find, and what it would take: power, planning, looks on the way."""
