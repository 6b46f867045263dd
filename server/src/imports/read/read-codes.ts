import { oneLine, redemptionStatus } from '@relay-hub/contract';
import { isDeleted, type OldRow, OldValueError, textIn, wholeIn } from '../old-row.ts';
import type { OldWorld } from './old-world.ts';

/** A redemption code of the old program. */
export interface ArrivingCode {
  oldId: number;
  key: string;
  name: string;
  status: number;
  quota: number;
  created_time: number;
  expired_time: number;
  redeemed_time: number;
  /** Old id; 0 = not known. */
  redeemer: number;
  /** Old id of the maker. */
  maker: number;
}

export async function* readCodes({ database, report }: OldWorld): AsyncIterable<ArrivingCode> {
  for await (const row of database.rows('redemptions')) {
    if (isDeleted(row)) continue;
    try {
      yield readCode(row, report);
    } catch (error) {
      if (!(error instanceof OldValueError)) throw error;
      report.count('code', 'lost');
      report.remark('lost', `code ${wholeIn(row, 'id')}: ${error.message}`);
    }
  }
}

const states = new Set<number>([redemptionStatus.enabled, redemptionStatus.disabled, redemptionStatus.used]);
const LONGEST = 20;

function readCode(row: OldRow, report: OldWorld['report']): ArrivingCode {
  const oldId = wholeIn(row, 'id');
  const key = textIn(row, 'key').trim();
  if (key === '') throw new OldValueError('it is empty');
  const quota = wholeIn(row, 'quota');
  if (quota < 0) throw new OldValueError(`it is worth ${quota}`);
  const name = oneLine(textIn(row, 'name'));
  if (name.length > LONGEST) report.remark('code_long', `code ${oldId}: ${name}`);
  const status = wholeIn(row, 'status');
  const expires = wholeIn(row, 'expired_time');
  return {
    oldId,
    key,
    name: name.slice(0, LONGEST) || `code ${oldId}`,
    status: states.has(status) ? status : redemptionStatus.disabled,
    quota,
    created_time: wholeIn(row, 'created_time'),
    expired_time: expires <= 0 ? -1 : expires,
    redeemed_time: wholeIn(row, 'redeemed_time'),
    redeemer: wholeIn(row, 'used_user_id'),
    maker: wholeIn(row, 'user_id'),
  };
}
