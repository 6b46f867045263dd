import type { Language, Redemption, RedemptionFilters } from '@relay-hub/contract';
import { redemptionStatus } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { CsvColumn } from '#http/csv.ts';
import { timeWriter } from '#http/csv.ts';
import type { Secrets } from '#secrets.ts';
import { filtered, redemptionFields, withNames } from './redemption-queries.ts';

interface WholeCode extends Redemption {
  code: string;
}

const texts = {
  zh_CN: {
    id: '编号',
    name: '名称',
    code: '兑换码',
    quota: '额度',
    status: '状态',
    created: '创建时间',
    createdBy: '创建人',
    expires: '到期时间',
    redeemed: '兑换时间',
    redeemedBy: '兑换人',
    statuses: { enabled: '未兑换', disabled: '禁用', used: '已兑换', expired: '已过期' },
  },
  zh_HK: {
    id: '編號',
    name: '名稱',
    code: '兌換碼',
    quota: '額度',
    status: '狀態',
    created: '建立時間',
    createdBy: '建立者',
    expires: '到期時間',
    redeemed: '兌換時間',
    redeemedBy: '兌換者',
    statuses: { enabled: '未兌換', disabled: '停用', used: '已兌換', expired: '已過期' },
  },
  en_US: {
    id: 'ID',
    name: 'Name',
    code: 'Code',
    quota: 'Credits',
    status: 'Status',
    created: 'Created',
    createdBy: 'Created by',
    expires: 'Expires',
    redeemed: 'Redeemed',
    redeemedBy: 'Redeemed by',
    statuses: { enabled: 'Unredeemed', disabled: 'Disabled', used: 'Redeemed', expired: 'Expired' },
  },
  ja_JP: {
    id: '番号',
    name: '名前',
    code: '引換コード',
    quota: '額面（クレジット）',
    status: '状態',
    created: '発行日時',
    createdBy: '発行者',
    expires: '有効期限',
    redeemed: '使用日時',
    redeemedBy: '使用者',
    statuses: { enabled: '未使用', disabled: '無効', used: '使用済み', expired: '期限切れ' },
  },
} satisfies Record<Language, unknown>;

type CodeStatus = keyof typeof redemptionStatus;

/** The columns of an export, including the full codes. */
export function csvColumns(language: Language, timeZone: string, now: number): CsvColumn<WholeCode>[] {
  const { statuses, ...head } = texts[language];
  const time = timeWriter(timeZone);
  return [
    { heading: head.id, cell: ({ id }) => id },
    { heading: head.name, cell: ({ name }) => name },
    { heading: head.code, cell: ({ code }) => code },
    { heading: head.quota, cell: ({ quota }) => quota },
    { heading: head.status, cell: (row) => statuses[statusOf(row, now)] },
    { heading: head.created, cell: (row) => time(row.created_time) },
    { heading: head.createdBy, cell: ({ username }) => username },
    { heading: head.expires, cell: (row) => time(Math.max(0, row.expired_time)) },
    { heading: head.redeemed, cell: (row) => time(row.redeemed_time) },
    { heading: head.redeemedBy, cell: (row) => row.redeemed_username },
  ];
}

function statusOf({ status, expired_time: expires }: Redemption, now: number): CodeStatus {
  if (status === redemptionStatus.used) return 'used';
  if (status === redemptionStatus.disabled) return 'disabled';
  return expires !== -1 && expires <= now ? 'expired' : 'enabled';
}

const ROWS_A_READ = 500;

/** The matching codes, newest first, read on demand. */
export async function* codesOf(
  db: Db,
  secrets: Secrets,
  filters: RedemptionFilters,
  now: number,
): AsyncGenerator<WholeCode, void> {
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await filtered(db, filters, now)
      .where('id', '<', below)
      .select([...redemptionFields, 'key_cipher'])
      .orderBy('id', 'desc')
      .limit(ROWS_A_READ)
      .execute();
    const codes = new Map(rows.map(({ id, key_cipher: cipher }) => [id, secrets.decrypt(cipher)]));
    for (const row of await withNames(db, rows)) yield { ...row, code: codes.get(row.id) ?? '' };
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_A_READ) return;
    below = last.id;
  }
}
