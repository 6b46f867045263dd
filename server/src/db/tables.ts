import type { Kysely, Transaction } from 'kysely';
import type { AccountsTables } from './tables/accounts.ts';
import type { AlarmsTables } from './tables/alarms.ts';
import type { BillsTables } from './tables/bills.ts';
import type { ChannelsTables } from './tables/channels.ts';
import type { GuardTables } from './tables/guard.ts';
import type { ImportsTables } from './tables/imports.ts';
import type { KeptObjectsTables } from './tables/kept-objects.ts';
import type { LedgerTables } from './tables/ledger.ts';
import type { LimitsTables } from './tables/limits.ts';
import type { LogsTables } from './tables/logs.ts';
import type { ModelsTables } from './tables/models.ts';
import type { OrdersTables } from './tables/orders.ts';
import type { PlansTables } from './tables/plans.ts';
import type { RollUpsTables } from './tables/roll-ups.ts';
import type { ScimTables } from './tables/scim.ts';
import type { SignInTables } from './tables/sign-in.ts';
import type { SiteTables } from './tables/site.ts';
import type { TasksTables } from './tables/tasks.ts';
import type { TokensTables } from './tables/tokens.ts';

/** All tables, by noun in `tables/`. */
export interface Tables
  extends
    AccountsTables,
    AlarmsTables,
    BillsTables,
    ChannelsTables,
    GuardTables,
    ImportsTables,
    KeptObjectsTables,
    LedgerTables,
    LimitsTables,
    LogsTables,
    ModelsTables,
    OrdersTables,
    PlansTables,
    RollUpsTables,
    ScimTables,
    SignInTables,
    SiteTables,
    TasksTables,
    TokensTables {}

export type Db = Kysely<Tables> | Transaction<Tables>;
