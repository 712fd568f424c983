-- The owner uses the rights of the roles that audit.set_server_rights() makes it a member of. Before
-- version 16, the role and not the grant decides that. Run as the administrator.

alter role studio_owner inherit;
