-- revision: 1
-- of: billing
-- What customers chose about mails; without a row they want all of them.
create or replace view readable_alert_settings as
select user_id, mails_news from alert_settings;
