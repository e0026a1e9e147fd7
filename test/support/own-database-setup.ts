// Before each file of a run on PostgreSQL.
import { endWithFile } from './own-database.ts';

endWithFile();
