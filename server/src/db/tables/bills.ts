import type {
  BillingSystem,
  BillQuestion,
  BillReport,
  BillVendor,
  ExtraRatios,
  KeptBill,
  PriceFee,
  PriceRule,
  UsageMeasure,
  WhatIfQuestion,
  WhatIfReport,
  whatIfStates,
} from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn, OptionalJsonColumn } from './json-column.ts';

/** Usage as billing systems get it. */
export interface UsageEvent {
  /** The ledger's reference: `call:` and the request id, or `task:` and the id of a task whose charge was returned. */
  id: string;
  /** Unix seconds. */
  time: number;
  /** The account in billing systems; empty: it has none. */
  customer: string;
  user_id: number;
  token_id: number;
  cost_centre: string;
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  /** Paid by the balance and by plans; negative for a returned charge. */
  credits: number;
}

export interface BillsTables {
  /** Own purchase prices of channels. Ids are never reused: log rows refer to them. */
  purchase_prices: {
    id: Generated<number>;
    channel_id: number;
    model: string;
    type: 'tokens' | 'times';
    input: number;
    output: number;
    extra_ratios: JsonColumn<ExtraRatios>;
    rules: JsonColumn<PriceRule[]>;
    fees: JsonColumn<PriceFee[]>;
    currency: string;
    /** Dollars for one unit of the currency. */
    rate: number;
    valid_from: number;
    /** Replaced, and kept for log rows that refer to it; 0: in force. */
    removed_time: Generated<number>;
  };
  /** Past months priced again; at most one is running. `seen_time`: of the last heartbeat of its node. */
  what_ifs: {
    id: Generated<number>;
    created_time: number;
    actor: string;
    question: JsonColumn<WhatIfQuestion>;
    state: (typeof whatIfStates)[number];
    total: number;
    done: number;
    node: string;
    seen_time: number;
    ended_time: number;
    error: string;
    report: OptionalJsonColumn<WhatIfReport>;
  };
  /** Months of providers' bills. The report of a closed one is not computed again. */
  bills: {
    id: Generated<number>;
    provider: string;
    month: string;
    origin: KeptBill['origin'];
    closed: boolean;
    updated_time: number;
    question: JsonColumn<BillQuestion & { from: string; to: string }>;
    report: JsonColumn<BillReport>;
    events: JsonColumn<KeptBill['events']>;
  };
  /** Accounts at providers whose bills are fetched, each with a separate key. */
  bill_sources: {
    id: Generated<number>;
    vendor: BillVendor;
    name: string;
    base_url: string;
    key_cipher: string;
    key_hint: string;
    channel_ids: JsonColumn<number[]>;
    fetched_time: number;
    last_error: string;
  };
  /** Tests and checks of channels by hour. `cost` in thousandths of a credit; `unknown`: calls of unknown cost. */
  own_usage: {
    hour: number;
    channel_id: number;
    model_name: string;
    calls: number;
    failed: number;
    prompt_tokens: number;
    completion_tokens: number;
    cost: number;
    unknown: number;
  };
  /** Billing systems that get charged calls. Positions: ids of the last row and ledger entry that were sent or skipped. */
  usage_exports: {
    id: Generated<number>;
    name: string;
    kind: BillingSystem;
    address: string;
    /** JSON of key and signing secret. */
    config_cipher: string;
    key_hint: string;
    signed: boolean;
    event: string;
    measure: UsageMeasure;
    enabled: boolean;
    log_position: number;
    ledger_position: number;
    sent: Generated<number>;
    skipped: Generated<number>;
    success_time: Generated<number>;
    last_error: Generated<string>;
    /** Failed attempts since the last success. */
    failures: Generated<number>;
    next_time: Generated<number>;
  };
  /** Events that a billing system refused. `waiting`: to be sent again. */
  refused_usage: {
    id: Generated<number>;
    export_id: number;
    event_id: string;
    event: JsonColumn<UsageEvent>;
    reason: string;
    waiting: boolean;
  };
}
