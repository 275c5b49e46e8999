"""Words that languages have for dates, a language a module: tables for one grammar."""
