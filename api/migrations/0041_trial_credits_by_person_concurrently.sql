create index concurrently trial_credits_by_person on trial_credits (person);
