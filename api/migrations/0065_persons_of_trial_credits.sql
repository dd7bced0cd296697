-- contract: nothing since 0.4.0 uses trial_credits without a person
alter table trial_credits alter column person set not null;
