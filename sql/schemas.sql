-- The schemas, and the roles that may name objects in them. Run it as the administrator.

create schema if not exists app authorization studio_owner;
create schema if not exists access authorization studio_owner;
create schema if not exists valuation authorization studio_owner;
create schema if not exists console authorization studio_owner;
create schema if not exists api_v1 authorization studio_owner;
create schema if not exists service authorization studio_owner;
create schema if not exists audit authorization studio_owner;

comment on schema app is 'The tables: a studio''s equipment, maintenance, insurance and valuation.';
comment on schema access is 'Who may come in and as whom: people, plans, tokens, activity, audit log.';
comment on schema valuation is 'The rules of valuation: depreciation, value source, coverage state, gap.';
comment on schema console is 'What the console''s pages may ask, each question in the session of a signed-in user.';
comment on schema api_v1 is 'The contract of version 1: views and functions that outsiders may use.';
comment on schema service is 'What the REST service alone reads: what lists are made of, photos and counters.';
comment on schema audit is 'Checks on the catalog: one view per rule, zero rows mean sound.';

-- The files of grants/ say by name what an outsider may do. Nothing is granted to everybody.
revoke all on schema public from public;
alter default privileges for role studio_owner revoke execute on functions from public;

grant usage on schema api_v1 to studio_api, studio_graphql, studio_analyst;
grant usage on schema service to studio_api;
grant usage on schema access to studio_api, studio_graphql, studio_recorder;
grant usage on schema console to studio_console;
grant usage on schema app to studio_writer;
grant usage on schema access to studio_writer;
grant usage on schema valuation to studio_writer;
grant usage on schema audit to studio_auditor;
