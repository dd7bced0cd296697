-- From when on the end of the certificate needs attention; null until a gateway reports one to this release.
alter table gateway_nodes add column certificate_ends_soon_at timestamptz;
