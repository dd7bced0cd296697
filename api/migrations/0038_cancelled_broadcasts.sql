-- A broadcast is cancelled after it has begun, too: it reaches and mails nobody else.
alter table broadcasts drop constraint broadcasts_check;
