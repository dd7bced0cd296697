alter table alert_settings
  add column mails_no_money boolean not null default true,
  add column mails_idle boolean not null default true,
  add column mails_exit_lost boolean not null default true;
