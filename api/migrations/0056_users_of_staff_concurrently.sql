create index concurrently users_of_staff on users (role_name, email) where role_name <> 'USER';
