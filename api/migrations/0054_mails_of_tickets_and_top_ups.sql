-- Whether answers of support and credited top-ups are also sent by email.
alter table alert_settings add column mails_tickets boolean not null default true;
alter table alert_settings add column mails_top_ups boolean not null default true;
