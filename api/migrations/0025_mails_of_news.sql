-- Whether a customer wants broadcasts by email, too.
alter table alert_settings add column mails_news boolean not null default true;
