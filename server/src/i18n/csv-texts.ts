import type {
  AuditEntry,
  LedgerEntry,
  LedgerKind,
  LogMetadata,
  OrderStatus,
  redemptionStatus,
  UsageGrouping,
  UsageMark,
} from '@relay-hub/contract';

/** Column titles and words of the CSV exports in one language. */
export interface CsvTexts {
  analytics: UsageCsvTexts;
  audit: Record<AuditHeading | AuditEntry['via'], string>;
  ledger: LedgerCsvTexts;
  statement: Record<'item' | 'count' | 'opening' | 'closing' | 'byMember' | 'byCostCentre', string>;
  team: Record<TeamHeading | 'enabled' | 'disabled', string>;
  whatIf: Record<'charged' | 'wouldCharge' | 'cost' | 'wouldCost' | 'margin' | 'wouldMargin', string>;
  log: LogCsvTexts;
  redemption: RedemptionCsvTexts;
  order: OrderCsvTexts;
}

interface UsageCsvTexts {
  by: Record<UsageGrouping, string>;
  headings: readonly [
    time: string,
    id: string,
    calls: string,
    failed: string,
    credits: string,
    usd: string,
    input: string,
    cached: string,
    output: string,
    latency: string,
    cost: string,
    margin: string,
  ];
}

type AuditHeading =
  | 'time'
  | 'actor'
  | 'actorId'
  | 'ip'
  | 'via'
  | 'method'
  | 'path'
  | 'kind'
  | 'objectId'
  | 'objectName'
  | 'status'
  | 'code'
  | 'agent';

type TeamHeading =
  | 'team'
  | 'owner'
  | 'ownerStatus'
  | 'group'
  | 'members'
  | 'tokens'
  | 'balance'
  | 'balanceUsd'
  | 'month'
  | 'used'
  | 'limits';

interface LedgerCsvTexts {
  time: string;
  user: string;
  kind: string;
  credits: string;
  usd: string;
  balance: string;
  balanceUsd: string;
  token: string;
  reference: string;
  remark: string;
  /** Replaces the stored remark of the first start. */
  firstStart: string;
  actor: string;
  kinds: Record<LedgerKind, string>;
  actors: Record<LedgerEntry['actor'], string>;
}

interface LogCsvTexts {
  headings: Record<LogHeading, string>;
  /** By `logType`. */
  types: Record<number, string>;
  outcomes: Record<NonNullable<LogMetadata['outcome']>, string>;
  marks: Record<UsageMark, string>;
}

export type LogHeading =
  | 'time'
  | 'type'
  | 'user'
  | 'channel'
  | 'token'
  | 'group'
  | 'model'
  | 'credits'
  | 'usd'
  | 'input'
  | 'cached'
  | 'output'
  | 'duration'
  | 'firstByte'
  | 'speed'
  | 'stream'
  | 'outcome'
  | 'status'
  | 'code'
  | 'reason'
  | 'calls'
  | 'firstTime'
  | 'usageMark'
  | 'attempts'
  | 'inputRatio'
  | 'outputRatio'
  | 'groupRatio'
  | 'priceVersion'
  | 'ip'
  | 'requestId'
  | 'detail'
  | 'tokenId'
  | 'tier'
  | 'region'
  | 'rules'
  | 'fees'
  | 'feeCredits'
  | 'unpriced'
  | 'otherModels'
  | 'cost'
  | 'margin';

interface RedemptionCsvTexts {
  id: string;
  name: string;
  code: string;
  quota: string;
  status: string;
  created: string;
  createdBy: string;
  expires: string;
  redeemed: string;
  redeemedBy: string;
  statuses: Record<keyof typeof redemptionStatus, string>;
}

interface OrderCsvTexts {
  headings: Record<OrderHeading, string>;
  statuses: Record<OrderStatus, string>;
}

type OrderHeading =
  | 'time'
  | 'tradeNo'
  | 'gatewayNo'
  | 'gateway'
  | 'user'
  | 'amount'
  | 'discount'
  | 'fee'
  | 'rate'
  | 'paid'
  | 'currency'
  | 'credits'
  | 'status'
  | 'paidAt'
  | 'refunded'
  | 'refundedCredits'
  | 'receipt'
  | 'completedBy';
