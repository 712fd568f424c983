--! Previous: sha1:ed49a3b1f78f8f3abc15a244d39a3dead5eb6931
--! Hash: sha1:39fda83245422581fddd7f4e75bbadd2cb26fb6f
--! Message: give what only the service reads a schema, and let the console import

-- What only the REST service reads moves to a schema of its own, so that analysts' tools list views that answer. The old names
-- are dropped by the next migration: calls that have begun still read them.
-- And the console imports files: what was uploaded waits for its confirmation, and imports are in the audit log.

--! Included schemas.sql
-- The schemas and who may name what is in them. Run as the administrator.

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

-- What an outsider may do is granted by name in grants/; nothing is given to everybody.
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
--! EndIncluded schemas.sql

set local role studio_owner;

-- A file that somebody is about to import: one of each person for each studio, for an hour.
create table access.console_uploads (
  studio_id uuid not null references app.studios,
  user_id uuid not null references access.users,
  digest bytea not null check (octet_length(digest) = 32), -- sha256 of content and choices
  content bytea not null check (octet_length(content) <= 10485760),
  choices jsonb not null,
  expires_at timestamptz(3) not null,
  primary key (studio_id, user_id)
);
create index console_uploads_by_user on access.console_uploads (user_id);
create index console_uploads_by_expiry on access.console_uploads (expires_at);
alter table access.console_uploads enable row level security,
  alter column content set statistics 0, alter column choices set statistics 0;

-- An entry is about a token or about an import.
alter table access.audit_log
  drop constraint audit_log_event_check,
  alter column token_id drop not null, alter column token_name drop not null, alter column token_prefix drop not null,
  add column import jsonb,
  add constraint audit_log_event_check check (event in ('token.issued', 'token.revoked', 'import')) not valid,
  add constraint audit_log_subject_check check (
    case when event = 'import' then import is not null and token_id is null
      else import is null and token_id is not null and token_name is not null and token_prefix is not null end) not valid;
alter table access.audit_log validate constraint audit_log_event_check, validate constraint audit_log_subject_check;

drop function console.list_audit_log(bytea, uuid, bigint);

--! Included service/views/item_documents.sql
-- The items of the list, each as its JSON text, beside the columns that filter and order it. For the REST service.
-- The text is stored with the item, but with those that were not written since the column was added.
-- spec: Item object, the fields that are not "Detail only".
create or replace view service.item_documents with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state,
  coalesce(i.document, api_v1.item_document(
    i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
    i.acquisition_date, i.depreciation_method, i.market_value_as_of, i.reported_insured_value, i.location_id,
    i.created_at, i.updated_at)) as document,
  i.barcode, i.serial_number
from app.items i
where i.archived_at is null;

comment on view service.item_documents is 'The items of the list as JSON text, for the REST service.';
--! EndIncluded service/views/item_documents.sql
--! Included service/views/item_valuations.sql
-- The projection alone, so that the item is whole when it cannot be read. For the REST service.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null".
create or replace view service.item_valuations with (security_invoker = true) as
select v.item_id, v.current_estimated_value::numeric(14,2) as current_estimated_value, v.value_source, v.coverage_state,
  v.gap_amount
from app.item_valuations v;

comment on view service.item_valuations is 'The valuation of each item, for the REST service.';
--! EndIncluded service/views/item_valuations.sql
--! Included service/views/item_photos.sql
-- Where the photos of each item are stored, in order. For the REST service, which signs them.
-- spec: photo_urls.
create or replace view service.item_photos with (security_invoker = true) as
select p.item_id, p.position, p.id, p.storage_key
from app.item_photos p;

comment on view service.item_photos is 'Storage keys of the items'' photos, for the REST service.';
--! EndIncluded service/views/item_photos.sql
--! Included service/views/item_counts.sql
-- The number of live items per category and coverage state ('*' is all), in parts to be summed. For the REST service.
create or replace view service.item_counts with (security_invoker = true) as
select c.category, c.coverage_state, c.items from app.item_counts c;

comment on view service.item_counts is 'Numbers of items per category and coverage state, in parts to be summed.';
--! EndIncluded service/views/item_counts.sql
--! Included service/views/maintenance_documents.sql
-- The maintenance records as JSON text, beside the columns that filter and order them. For the REST service.
-- The text is stored with the record, but with those that were not written since the column was added.
create or replace view service.maintenance_documents with (security_invoker = true) as
select
  m.id, m.updated_at, m.item_id, m.status,
  coalesce(m.document, api_v1.maintenance_document(
    m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date, m.cost,
    m.vendor, m.description, m.created_at, m.updated_at)) as document
from app.maintenance_records m
where not m.item_archived;

comment on view service.maintenance_documents is 'Maintenance records as JSON text, for the REST service.';
--! EndIncluded service/views/maintenance_documents.sql
--! Included service/views/maintenance_counts.sql
-- The number of records per status ('*' is all), in parts to be summed. For the REST service.
create or replace view service.maintenance_counts with (security_invoker = true) as
select c.status, c.records from app.maintenance_counts c;

comment on view service.maintenance_counts is 'Numbers of maintenance records per status, in parts to be summed.';
--! EndIncluded service/views/maintenance_counts.sql
--! Included console/functions/import_manager.sql
-- The session's user, who must be an owner or admin of the studio at this moment. Unlike tokens, a studio's own data is there where
-- the public API is off.
-- Raises SI401 without a session, SI404 alike for a studio that does not exist and one that the user is no member of, 42501 for a member.
create or replace function console.import_manager(session_digest bytea, studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid := console.signed_in(session_digest);
  role text;
begin
  select m.role into role from access.members m
  where m.studio_id = import_manager.studio_id and m.user_id = person;
  if role is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  if role not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return person;
end
$$;

comment on function console.import_manager(bytea, uuid) is
  'The session''s user, who must be an owner or admin of the studio, whether or not it has the public API.';
--! EndIncluded console/functions/import_manager.sql
--! Included console/functions/keep_upload.sql
-- Stores the file that the session's user is about to import, with how it is to be read, for an hour; it takes the place of their last
-- one for this studio. Nothing is imported.
--   content  the file, at most 10 MiB
--   choices  what the user chose in the form: the kind of file, its name, columns, formats
--   digest   sha256 of content and choices, by which the preview and its confirmation name them
-- Raises what console.import_manager raises.
create or replace function console.keep_upload(
  session_digest bytea, studio_id uuid, content bytea, choices jsonb, digest bytea
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  person uuid := console.import_manager(session_digest, studio_id);
begin
  delete from access.console_uploads u where u.expires_at < pg_catalog.now();
  insert into access.console_uploads as u (studio_id, user_id, content, choices, digest, expires_at)
  values (keep_upload.studio_id, person, keep_upload.content, keep_upload.choices, keep_upload.digest,
    pg_catalog.now() + interval '1 hour')
  on conflict on constraint console_uploads_pkey do update
  set content = excluded.content, choices = excluded.choices, digest = excluded.digest, expires_at = excluded.expires_at;
end
$$;

comment on function console.keep_upload(bytea, uuid, bytea, jsonb, bytea) is
  'Stores the file that the session''s user is about to import, for an hour.';
--! EndIncluded console/functions/keep_upload.sql
--! Included console/functions/read_upload.sql
-- The file that the session's user is about to import, if it is the one with this digest and an hour has not passed; else no row.
-- Raises what console.import_manager raises.
create or replace function console.read_upload(session_digest bytea, studio_id uuid, digest bytea)
returns table (content bytea, choices jsonb)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.import_manager(session_digest, studio_id);
begin
  return query
    select u.content, u.choices from access.console_uploads u
    where u.studio_id = read_upload.studio_id and u.user_id = person and u.digest = read_upload.digest
      and u.expires_at > pg_catalog.now();
end
$$;

comment on function console.read_upload(bytea, uuid, bytea) is 'The file that the session''s user is about to import.';
--! EndIncluded console/functions/read_upload.sql
--! Included console/functions/list_audit_log.sql
-- A studio's audit log, newest first, 100 entries at a time, for owners and admins.
-- An entry is about a token, or about an import: then the token's columns are null and import says what was imported.
--   before  the id of the last entry of the page before; null for the newest
-- Raises what console.manager raises.
create or replace function console.list_audit_log(session_digest bytea, studio_id uuid, before bigint default null)
returns table (
  id bigint, at timestamptz, event text, actor_name text, actor_email text, token_name text, token_prefix text,
  scope_name text, import jsonb
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.manager(session_digest, list_audit_log.studio_id);
  return query
    select l.id, l.at::timestamptz, l.event, access.display_name(actor), actor.email, l.token_name, l.token_prefix,
      access.display_name(scoped), l.import
    from access.audit_log l
    join access.users actor on actor.id = l.actor_user_id
    left join access.users scoped on scoped.id = l.scope_user_id
    where l.studio_id = list_audit_log.studio_id and (before is null or l.id < before)
    order by l.id desc
    limit 100;
end
$$;

comment on function console.list_audit_log(bytea, uuid, bigint) is
  'A studio''s audit log, newest first, for its owners and admins.';
--! EndIncluded console/functions/list_audit_log.sql
--! Included access/functions/record_import.sql
-- Called in the transaction of an import from the console, after its rows were written: checks once more that whoever confirmed it may,
-- uses up the file that was confirmed, so that it is imported once, and writes the studio's audit log. What it raises undoes the import.
--   digest   that of the file and its choices, see console.keep_upload()
--   summary  what was imported: kind, file, sha256, added, changed
-- Raises what console.import_manager raises, and SI409 when the file was imported, replaced or has expired meanwhile.
create or replace function access.record_import(session_digest bytea, digest bytea, summary jsonb) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  person uuid := console.import_manager(session_digest, studio);
begin
  perform from access.members m where m.studio_id = studio and m.user_id = person and m.role in ('owner', 'admin') for key share;
  if not found then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  delete from access.console_uploads u
  where u.studio_id = studio and u.user_id = person and u.digest = record_import.digest and u.expires_at > pg_catalog.now();
  if not found then
    raise exception 'this file was imported, replaced or has expired' using errcode = 'SI409';
  end if;
  insert into access.audit_log (studio_id, event, actor_user_id, import) values (studio, 'import', person, summary);
end
$$;

comment on function access.record_import(bytea, bytea, jsonb) is
  'Records an import from the console in the audit log, in its transaction, and uses up the file.';
--! EndIncluded access/functions/record_import.sql
--! Included api_v1/functions/count_items.sql
-- How many live items match. The counters know for a category, a coverage state and both. Otherwise an index is
-- read: of what is newer than updated_since, and before the watermark (null: whatever is newer); of what has the barcode or
-- the serial number.
-- spec: meta.total — "Total number of matching records."
create or replace function api_v1.count_items(
  category text, coverage_state text, updated_since timestamptz, before timestamptz, barcode text default null,
  serial_number text default null
)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  since timestamptz := coalesce(updated_since, '-infinity');
  until timestamptz := coalesce(before, 'infinity');
  -- Under row-level security an index is looked up by a variable, but not by what coalesce() gives of one.
  counted_category text := coalesce(category, '*');
  counted_state text := coalesce(coverage_state, '*');
begin
  if barcode is not null then
    return (select count(*) from (
      select from service.item_documents d
      where d.barcode = barcode and d.barcode <> '' and octet_length(d.barcode) <= 1000
        and (serial_number is null or d.serial_number = serial_number)
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as found);
  elsif serial_number is not null then
    return (select count(*) from (
      select from service.item_documents d
      where d.serial_number = serial_number and d.serial_number <> '' and octet_length(d.serial_number) <= 1000
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as found);
  elsif updated_since is null then
    if '*' in (category, coverage_state) then
      return 0; -- the counters' word for "all" is no category and no state
    end if;
    return (
      select coalesce(sum(c.items), 0)::bigint from service.item_counts c
      where c.category = counted_category and c.coverage_state = counted_state);
  end if;

  -- Counted in the order of the list, so that it is the list's index that is read, from the newest to updated_since.
  if category is null and coverage_state is null then
    return (select count(*) from (
      select from service.item_documents d where d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif coverage_state is null then
    return (select count(*) from (
      select from service.item_documents d
      where d.category = category and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif category is null then
    return (select count(*) from (
      select from service.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  end if;
  return (select count(*) from (
    select from service.item_documents d
    where d.category = category and d.coverage_state = coverage_state
      and d.updated_at >= updated_since and d.updated_at < until
    order by d.updated_at desc, d.id desc) as newer);
end
$$;

comment on function api_v1.count_items(text, text, timestamptz, timestamptz, text, text) is 'How many live items match the filters.';
--! EndIncluded api_v1/functions/count_items.sql
--! Included api_v1/functions/list_items.sql
-- GET /items: one page of live items, newest updated first, and the number of all that match. One query text per
-- filter, so that each uses the index made for it. A page may begin after a row whose key the caller knows (cursor_*);
-- otherwise that key is found in the index alone before rows are read.
--   page, per_page  from 1; 1 to 100. Null filters do not filter.
--   barcode, serial_number   to the character; empty: no item, since empty is not recorded, and none that is longer than 1,000 bytes
--   updated_since   also leaves out what is not before the watermark, so that whoever asks next with the newest updated_at, or
--                   with the watermark, misses nothing: what is left out, and what is not committed yet, is newer
--   validator       see access.open_session()
--   cursor_at, cursor_id           the key that a client's cursor names; the page begins after it
--   cursor_version, cursor_total   version and total of an answer whose last key that is, the page before this one to the same
--                   question: the cache's cursor, not used when that version is not the version of this moment
-- spec: GET /items, rules 1 to 3.
create or replace function api_v1.list_items(
  token_digest bytea, page bigint, per_page integer, category text, coverage_state text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null, barcode text default null, serial_number text default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  -- A poll leaves out what is not before the watermark: something older may still become visible.
  before timestamptz := case when updated_since is not null then answer.watermark end;
  skipped bigint := 0;
  after_at timestamptz := coalesce(before, 'infinity');
  after_id uuid := case
    when before is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_items(category, coverage_state, updated_since, before, barcode, serial_number)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if before is not null and exists (select from service.item_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if barcode is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.barcode = barcode and d.barcode <> '' and octet_length(d.barcode) <= 1000
        and (serial_number is null or d.serial_number = serial_number)
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.barcode = barcode and d.barcode <> '' and octet_length(d.barcode) <= 1000
        and (serial_number is null or d.serial_number = serial_number)
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif serial_number is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.serial_number = serial_number and d.serial_number <> '' and octet_length(d.serial_number) <= 1000
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.serial_number = serial_number and d.serial_number <> '' and octet_length(d.serial_number) <= 1000
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif category is null and coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif category is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  end if;

  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_items(
  bytea, bigint, integer, text, text, timestamptz, text, text, bigint, timestamptz, uuid, text, text) is
  'GET /items: a page of live items, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_items.sql
--! Included api_v1/functions/get_item_in_parts.sql
-- What get_item() reads, each part by itself, for when they cannot be read together: what cannot be read is null (the
-- valuation) or empty (the photos), and leaves the rest whole. Without a version, so that nobody caches it.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null"; "If signing photos fails,
-- photo_urls is an empty array".
create or replace function api_v1.get_item_in_parts(answer access.answer, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  valuation record;
begin
  answer.version := null;
  begin
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from service.item_valuations v where v.item_id = id;
  exception when others then
    raise warning 'an item is shown without its valuation: SQLSTATE %', sqlstate;
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;

  select api_v1.valued_item(d.document, valuation.current_estimated_value, valuation.value_source,
    valuation.coverage_state, valuation.gap_amount)
  into answer.data
  from service.item_documents d where d.id = id;

  begin
    answer.photo_keys := array(
      select p.storage_key from service.item_photos p where p.item_id = id order by p.position, p.id);
  exception when others then
    raise warning 'an item is shown without its photos: SQLSTATE %', sqlstate;
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item_in_parts(access.answer, uuid) is
  'What get_item() reads, each part by itself, without those that cannot be read.';
--! EndIncluded api_v1/functions/get_item_in_parts.sql
--! Included api_v1/functions/get_item.sql
-- GET /items/{id}: one live item, as in the list, with its valuation, and the storage keys of its photos. A projection or
-- photos that cannot be read leave the rest whole, with a warning in the log. 404 for null (a malformed id), unknown, archived
-- and another studio's alike.
--   validator  see access.open_session()
-- spec: GET /items/{id}, rules 1 to 3; Item object, "Detail only".
create or replace function api_v1.get_item(token_digest bytea, id uuid, validator text default null) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  begin
    select
      row_to_json((select item from (select
        i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
        i.acquisition_date, i.depreciation_method, api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
        i.reported_insured_value, i.location_id, api_v1.rfc3339(i.created_at) as created_at,
        api_v1.rfc3339(i.updated_at) as updated_at, v.current_estimated_value, v.value_source,
        i.agreed_value_from_policy, v.coverage_state, v.gap_amount
      ) as item))::text,
      array(select p.storage_key from service.item_photos p where p.item_id = id order by p.position, p.id)
    into answer.data, answer.photo_keys
    from api_v1.items i -- whose own join is not made, since nothing of it is asked for
    left join service.item_valuations v on v.item_id = i.id
    where i.id = id;
  exception when others then
    answer := api_v1.get_item_in_parts(answer, id);
  end;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid, text) is
  'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
--! Included api_v1/functions/list_item_policies.sql
-- GET /items/{id}/policies: every assignment of one live item, the primary one first. The item is looked up before any
-- assignment is read; 404 as in api_v1.get_item().
-- spec: GET /items/{id}/policies, rules 1 to 3.
create or replace function api_v1.list_item_policies(token_digest bytea, id uuid, validator text default null)
returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  perform from service.item_documents d where d.id = id;
  if not found then
    answer.status := 404;
    return answer;
  end if;

  select coalesce(pg_catalog.string_agg(row_to_json(assignment)::text, ','), '') into answer.data from (
    select a.policy_id, a.policy_name, a.declared_value, a.is_primary, a.effective_start, a.effective_end
    from api_v1.assignments a
    where a.item_id = id
    order by a.is_primary desc, a.policy_id, a.effective_start, a.effective_end, a.declared_value
  ) as assignment;
  return answer;
end
$$;

comment on function api_v1.list_item_policies(bytea, uuid, text) is
  'GET /items/{id}/policies: the policy assignments of one live item.';
--! EndIncluded api_v1/functions/list_item_policies.sql
--! Included api_v1/functions/count_maintenance.sql
-- How many maintenance records of live items match. Without updated_since and item the counters know.
create or replace function api_v1.count_maintenance(item_id uuid, status text, updated_since timestamptz, before timestamptz)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  until timestamptz := coalesce(before, 'infinity');
  counted_status text := coalesce(status, '*'); -- a variable, as in api_v1.count_items()
begin
  if item_id is not null then
    return (select count(*) from service.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status)
        and d.updated_at >= coalesce(updated_since, '-infinity') and d.updated_at < until);
  elsif updated_since is null then
    if status = '*' then
      return 0; -- the counters' word for "all" is no status
    end if;
    return (
      select coalesce(sum(c.records), 0)::bigint from service.maintenance_counts c
      where c.status = counted_status);
  elsif status is null then
    return (select count(*) from service.maintenance_documents d where d.updated_at >= updated_since and d.updated_at < until);
  end if;
  return (select count(*) from service.maintenance_documents d
    where d.status = status and d.updated_at >= updated_since and d.updated_at < until);
end
$$;

comment on function api_v1.count_maintenance(uuid, text, timestamptz, timestamptz) is
  'How many maintenance records match the filters.';
--! EndIncluded api_v1/functions/count_maintenance.sql
--! Included api_v1/functions/list_maintenance.sql
-- GET /maintenance: one page of the maintenance records of live items, newest updated first, and the number of all that
-- match. One query text per filter; deep pages and cursors as in api_v1.list_items().
create or replace function api_v1.list_maintenance(
  token_digest bytea, page bigint, per_page integer, item_id uuid, status text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  -- A poll leaves out what is not before the watermark: something older may still become visible.
  before timestamptz := case when updated_since is not null then answer.watermark end;
  skipped bigint := 0;
  after_at timestamptz := coalesce(before, 'infinity');
  after_id uuid := case
    when before is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_maintenance(item_id, status, updated_since, before)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if before is not null and exists (select from service.maintenance_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if item_id is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif status is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.maintenance_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.maintenance_documents d
      where d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.maintenance_documents d
      where d.status = status and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.maintenance_documents d
      where d.status = status and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  end if;

  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_maintenance(
  bytea, bigint, integer, uuid, text, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /maintenance: a page of maintenance records, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_maintenance.sql
--! Included audit/views/allowed_privileges.sql
-- Who may read and write what, at most: role × privilege × relation × column; '*' is the whole relation, columns yet to
-- come included. The grants are made in grants/; this list is their check, so a new grant is written twice on purpose.
create or replace view audit.allowed_privileges with (security_invoker = true) as
select role, privilege, listed.relation, column_name
from (values
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.items', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.locations', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.maintenance', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.policies', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.assignments', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.account', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.removals', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.workings', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_schedule', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_years', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.closed_values', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.corrections', '*'),
  ('studio_analyst', 'SELECT', 'api_v1.relationships', '*'),
  ('studio_api', 'SELECT', 'service.item_documents', '*'),
  ('studio_api', 'SELECT', 'service.item_valuations', '*'),
  ('studio_api', 'SELECT', 'service.item_photos', '*'),
  ('studio_api', 'SELECT', 'service.item_counts', '*'),
  ('studio_api', 'SELECT', 'service.maintenance_documents', '*'),
  ('studio_api', 'SELECT', 'service.maintenance_counts', '*'),

  -- under the views, column by column
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.items',
    'studio_id id name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method reported_insured_value archived_at market_value_as_of created_at updated_at'),
  ('studio_api', 'SELECT', 'app.items', 'coverage_state document'),
  ('studio_api', 'SELECT', 'app.maintenance_records', 'document'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.item_valuations',
    'studio_id item_id current_estimated_value value_source coverage_state gap_amount'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.locations',
    'studio_id id name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.maintenance_records',
    'studio_id id item_id item_name item_archived title maintenance_type status scheduled_date completed_date cost
     vendor description created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policies',
    'studio_id id name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policy_assignments',
    'studio_id item_id policy_id declared_value is_primary effective_start effective_end'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.removals',
    'studio_id resource id reason removed_at leaves_at returns_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closings', 'studio_id month_end closed_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closed_values',
    'studio_id month_end item_id name category currency current_estimated_value value_source coverage_state
     reported_insured_value gap_amount purchase_price acquisition_date depreciation_method useful_life_months
     residual_value financial_year_start_month market_value market_value_as_of manual_value replacement_cost'),
  ('studio_api', 'SELECT', 'app.item_photos', 'studio_id id item_id storage_key position'),
  ('studio_api', 'SELECT', 'app.item_counts', 'studio_id category coverage_state items'),
  ('studio_api', 'SELECT', 'app.maintenance_counts', 'studio_id status records'),

  -- the writer
  ('studio_writer', 'SELECT', 'app.locations', '*'),
  ('studio_writer', 'SELECT', 'app.items', '*'),
  ('studio_writer', 'SELECT', 'app.item_photos', '*'),
  ('studio_writer', 'SELECT', 'app.market_values', '*'),
  ('studio_writer', 'SELECT', 'app.item_valuations', '*'),
  ('studio_writer', 'SELECT', 'app.maintenance_records', '*'),
  ('studio_writer', 'SELECT', 'app.policies', '*'),
  ('studio_writer', 'SELECT', 'app.policy_assignments', '*'),
  ('studio_writer', 'DELETE', 'app.locations', '*'),
  ('studio_writer', 'DELETE', 'app.item_photos', '*'),
  ('studio_writer', 'DELETE', 'app.market_values', '*'),
  ('studio_writer', 'DELETE', 'app.maintenance_records', '*'),
  ('studio_writer', 'DELETE', 'app.policy_assignments', '*'),
  ('studio_writer', 'INSERT', 'app.locations', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.locations',
    'external_key name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default'),
  ('studio_writer', 'INSERT', 'app.items', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.items',
    'external_key name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method useful_life_months residual_value manual_value replacement_cost
     reported_insured_value archived_at'),
  ('studio_writer', 'INSERT', 'app.item_photos', 'studio_id id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.item_photos', 'storage_key position'),
  ('studio_writer', 'INSERT', 'app.market_values', 'studio_id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.market_values', 'value as_of source'),
  ('studio_writer', 'INSERT', 'app.maintenance_records', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.maintenance_records',
    'external_key item_id title maintenance_type status scheduled_date completed_date cost vendor description'),
  ('studio_writer', 'INSERT', 'app.policies', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policies',
    'external_key name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at owner_user_id source_document_id notes'),
  ('studio_writer', 'INSERT', 'app.policy_assignments', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policy_assignments',
    'external_key item_id policy_id declared_value is_primary effective_start effective_end notes')
) as listed (roles, privileges, relation, columns)
cross join lateral pg_catalog.regexp_split_to_table(listed.roles, '\s+') as role
cross join lateral pg_catalog.regexp_split_to_table(listed.privileges, '\s+') as privilege
cross join lateral pg_catalog.regexp_split_to_table(listed.columns, '\s+') as column_name
union all
select 'studio_auditor', 'SELECT', pg_catalog.format('audit.%I', c.relname), '*'
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'audit' and c.relkind = 'v';

comment on view audit.allowed_privileges is
  'Who may read and write which column, at most; ''*'' is the whole relation.';
--! EndIncluded audit/views/allowed_privileges.sql
--! Included grants/studio_api.sql
-- The REST pool: reads the views and runs the operations of api_v1, and nothing else. Column by column on the tables
-- under the views; no USAGE on app, so that no table can be named.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  coverage_state, created_at, updated_at, document) on app.items to studio_api;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_api;
grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_api;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at, document) on app.maintenance_records to studio_api;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at) on app.policies to studio_api;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_api;
grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals,
  service.item_documents, service.item_valuations, service.item_photos, service.item_counts, service.maintenance_documents,
  service.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.list_removals, api_v1.with_page, api_v1.get_policy, api_v1.get_account,
  api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339, api_v1.item_document, api_v1.maintenance_document, api_v1.items_on,
  access.open_session, access.authenticate_tokens, access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_console.sql
-- The console's pool: the functions of schema console. All but those for coming and going ask for the session of a signed-in
-- user and decide by that user's membership. No table, no view, nothing else.

grant execute on function
  console.sign_in, console.sign_out, console.use_once, console.list_studios, console.list_tokens, console.list_members,
  console.token_activity, console.issue_token, console.revoke_token, console.list_audit_log,
  console.keep_upload, console.read_upload
  to studio_console;
--! EndIncluded grants/studio_console.sql
--! Included grants/studio_writer.sql
-- The app's and the importer's writes, for one studio at a time, under row-level security. Columns that the database
-- keeps itself (studio_id and id once written, created_at, updated_at, coverage_state, copies) cannot be written.
-- Items and policies are archived, not deleted.

grant select on app.locations, app.items, app.item_photos, app.market_values, app.item_valuations,
  app.maintenance_records, app.policies, app.policy_assignments to studio_writer;

grant insert (studio_id, id, external_key, name, description, type, parent_id, address_line1, address_line2, city,
  region, postal_code, country_code, is_default) on app.locations to studio_writer;
grant update (external_key, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default) on app.locations to studio_writer;
grant delete on app.locations to studio_writer;

grant insert (studio_id, id, external_key, name, manufacturer, model, serial_number, barcode, category, tags,
  location_id, purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;
grant update (external_key, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;

grant insert (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_writer;
grant update (storage_key, position) on app.item_photos to studio_writer;
grant delete on app.item_photos to studio_writer;

grant insert (studio_id, item_id, value, as_of, source) on app.market_values to studio_writer;
grant update (value, as_of, source) on app.market_values to studio_writer;
grant delete on app.market_values to studio_writer;

grant insert (studio_id, id, external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date,
  cost, vendor, description) on app.maintenance_records to studio_writer;
grant update (external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date, cost, vendor,
  description) on app.maintenance_records to studio_writer;
grant delete on app.maintenance_records to studio_writer;

grant insert (studio_id, id, external_key, name, carrier, policy_number, policy_type, overall_limit, deductible,
  covered_perils, location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id,
  notes) on app.policies to studio_writer;
grant update (external_key, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id, notes)
  on app.policies to studio_writer;

grant insert (studio_id, id, external_key, item_id, policy_id, declared_value, is_primary, effective_start,
  effective_end, notes) on app.policy_assignments to studio_writer;
grant update (external_key, item_id, policy_id, declared_value, is_primary, effective_start, effective_end, notes)
  on app.policy_assignments to studio_writer;
grant delete on app.policy_assignments to studio_writer;

grant execute on function access.current_studio_id, access.current_studio_mask, access.current_plan,
  valuation.next_due, valuation.refresh_due, valuation.refresh, valuation.next_to_close, valuation.close_month,
  access.purge_removals, app.open_import, access.record_import,
  app.stamp
  to studio_writer;
--! EndIncluded grants/studio_writer.sql

reset role;
