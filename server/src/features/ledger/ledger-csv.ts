import { firstStartRemark, type Language, type LedgerEntry, type LedgerKind } from '@relay-hub/contract';
import type { CsvColumn } from '#http/csv.ts';
import { timeWriter } from '#http/csv.ts';
import type { EntryReader } from './entry-names.ts';

const CREDITS_PER_USD = 500_000;

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
  firstStart: string;
  actor: string;
  kinds: Record<LedgerKind, string>;
  actors: Record<LedgerEntry['actor'], string>;
}

const texts: Record<Language, LedgerCsvTexts> = {
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
    firstStart: '首次启动时赠送',
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
      dispute: '争议',
      correction: '调整',
    },
    actors: { owner: '本人', administrator: '管理员', system: '系统' },
  },
  zh_HK: {
    time: '時間',
    user: '用戶',
    kind: '類型',
    credits: '額度變動',
    usd: '變動（美元）',
    balance: '變動後餘額',
    balanceUsd: '變動後餘額（美元）',
    token: '令牌',
    reference: '參考編號',
    remark: '備註',
    firstStart: '首次啟動時贈送',
    actor: '操作者',
    kinds: {
      gift: '贈送',
      reward: '邀請獎勵',
      topup: '充值',
      redemption: '兌換碼',
      reserve: '預留',
      settle: '呼叫',
      release: '釋放預留',
      refund: '退款',
      dispute: '爭議',
      correction: '調整',
    },
    actors: { owner: '本人', administrator: '管理員', system: '系統' },
  },
  en_US: {
    time: 'Time',
    user: 'User',
    kind: 'Type',
    credits: 'Credits',
    usd: 'USD',
    balance: 'Balance after',
    balanceUsd: 'Balance after (USD)',
    token: 'Token',
    reference: 'Reference',
    remark: 'Remark',
    firstStart: 'Initial credits',
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
      dispute: 'Dispute',
      correction: 'Correction',
    },
    actors: { owner: 'Owner', administrator: 'Administrator', system: 'System' },
  },
  ja_JP: {
    time: '日時',
    user: 'ユーザー',
    kind: '種類',
    credits: 'クレジットの増減',
    usd: '増減（米ドル）',
    balance: '変動後残高',
    balanceUsd: '変動後残高（米ドル）',
    token: 'トークン',
    reference: '参照番号',
    remark: '備考',
    firstStart: '初回起動時の付与',
    actor: '操作者',
    kinds: {
      gift: '付与',
      reward: '招待特典',
      topup: 'チャージ',
      redemption: '引換コード',
      reserve: '仮押さえ',
      settle: '呼び出し',
      release: '仮押さえ解除',
      refund: '返金',
      dispute: '異議',
      correction: '調整',
    },
    actors: { owner: '本人', administrator: '管理者', system: 'システム' },
  },
};

/** The columns of an export. Amounts are exact in credits and readable in dollars. */
export function ledgerCsv(language: Language, timeZone: string, reader: EntryReader): CsvColumn<LedgerEntry>[] {
  const text = texts[language];
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
    { heading: text.remark, cell: ({ remark }) => (remark === firstStartRemark ? text.firstStart : remark) },
    {
      heading: text.actor,
      cell: (entry) => (reader === 'administrator' && entry.actor_name) || text.actors[entry.actor],
    },
  ];
}
