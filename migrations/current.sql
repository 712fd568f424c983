-- What only the REST service reads moves to a schema of its own, so that analysts' tools list views that answer. The old names
-- are dropped by the next migration: calls that have begun still read them.

--!include schemas.sql

set local role studio_owner;

--!include service/views/item_documents.sql
--!include service/views/item_valuations.sql
--!include service/views/item_photos.sql
--!include service/views/item_counts.sql
--!include service/views/maintenance_documents.sql
--!include service/views/maintenance_counts.sql
--!include api_v1/functions/count_items.sql
--!include api_v1/functions/list_items.sql
--!include api_v1/functions/get_item_in_parts.sql
--!include api_v1/functions/get_item.sql
--!include api_v1/functions/list_item_policies.sql
--!include api_v1/functions/count_maintenance.sql
--!include api_v1/functions/list_maintenance.sql
--!include audit/views/allowed_privileges.sql
--!include grants/studio_api.sql

reset role;
