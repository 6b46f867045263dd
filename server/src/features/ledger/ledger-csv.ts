import type { LedgerEntry, LedgerKind } from '@relay-hub/contract';
import type { CsvColumn } from '#http/csv.ts';
import { timeWriter } from '#http/csv.ts';
import type { Language } from '#i18n/language.ts';
import type { Reader } from './entry-names.ts';

const CREDITS_PER_USD = 500_000;

interface Words {
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
  actor: string;
  kinds: Record<LedgerKind, string>;
  actors: Record<LedgerEntry['actor'], string>;
}

const words: Record<Language, Words> = {
  zh_CN: {
    time: '时间',
    user: '用户',
    kind: '类型',
    credits: '额度变动',
    usd: '变动（美元）',
    balance: '变动后余额',
    balanceUsd: '变动后余额（美元）',
    token: '令牌',
    reference: '凭证号',
    remark: '备注',
    actor: '操作者',
    kinds: {
      gift: '赠送',
      reward: '邀请奖励',
      topup: '充值',
      redemption: '兑换码',
      reserve: '预留',
      settle: '调用',
      release: '释放预留',
      refund: '退款',
      correction: '调整',
    },
    actors: { owner: '本人', administrator: '管理员', system: '系统' },
  },
  en_US: {
    time: 'Time',
    user: 'User',
    kind: 'Kind',
    credits: 'Credits',
    usd: 'USD',
    balance: 'Balance after',
    balanceUsd: 'Balance after, USD',
    token: 'Token',
    reference: 'Reference',
    remark: 'Remark',
    actor: 'By',
    kinds: {
      gift: 'Gift',
      reward: 'Invitation reward',
      topup: 'Top-up',
      redemption: 'Redemption code',
      reserve: 'Reserved',
      settle: 'Call',
      release: 'Released',
      refund: 'Refund',
      correction: 'Correction',
    },
    actors: { owner: 'Owner', administrator: 'Administrator', system: 'System' },
  },
};

/** The columns of an export. Amounts are there as credits, to reckon with exactly, and in dollars, to read. */
export function ledgerCsv(language: Language, timeZone: string, reader: Reader): CsvColumn<LedgerEntry>[] {
  const text = words[language];
  const time = timeWriter(timeZone);
  return [
    { heading: `${text.time} (${timeZone || 'UTC'})`, cell: (entry) => time(entry.created_time) },
    ...(reader === 'administrator' ? [{ heading: text.user, cell: (entry: LedgerEntry) => entry.username }] : []),
    { heading: text.kind, cell: (entry) => text.kinds[entry.kind] },
    { heading: text.credits, cell: (entry) => entry.credits },
    { heading: text.usd, cell: (entry) => entry.credits / CREDITS_PER_USD },
    { heading: text.balance, cell: (entry) => entry.balance_after },
    { heading: text.balanceUsd, cell: (entry) => entry.balance_after / CREDITS_PER_USD },
    { heading: text.token, cell: (entry) => entry.token_name },
    { heading: text.reference, cell: (entry) => entry.reference },
    { heading: text.remark, cell: (entry) => entry.remark },
    {
      heading: text.actor,
      cell: (entry) => (reader === 'administrator' && entry.actor_name) || text.actors[entry.actor],
    },
  ];
}
