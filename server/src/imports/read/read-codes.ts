import { oneLine, redemptionStatus } from '@relay-hub/contract';
import {
  creditsIn,
  expiryIn,
  isDeleted,
  lineIn,
  type OldRow,
  OldValueError,
  rowName,
  textIn,
  timeIn,
  wholeIn,
} from '../old-row.ts';
import { type OldWorld, readRows } from './old-world.ts';

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

export const readCodes = (world: OldWorld): AsyncIterable<ArrivingCode> =>
  readRows(world, {
    table: 'redemptions',
    kind: 'code',
    // Without its name, which some operators make of the code.
    name: (row) => rowName(row, 'code', ''),
    read: (row) => (isDeleted(row) ? undefined : readCode(row, world.report)),
  });

const states = new Set<number>([redemptionStatus.enabled, redemptionStatus.disabled, redemptionStatus.used]);
const LONGEST = 20;

function readCode(row: OldRow, report: OldWorld['report']): ArrivingCode {
  const oldId = wholeIn(row, 'id');
  const key = textIn(row, 'key').trim();
  if (key === '') throw new OldValueError('it is empty');
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw new OldValueError('it has characters that cannot be used');
  const quota = creditsIn(row, 'quota');
  if (quota < 0) throw new OldValueError(`it is worth ${quota}`);
  const name = oneLine(textIn(row, 'name'));
  if (name.length > LONGEST) report.remark('code_long', `code ${oldId}: ${name}`);
  const status = wholeIn(row, 'status');
  return {
    oldId,
    key,
    name: lineIn(row, 'name', LONGEST) || `code ${oldId}`,
    status: states.has(status) ? status : redemptionStatus.disabled,
    quota,
    created_time: timeIn(row, 'created_time'),
    expired_time: expiryIn(row, 'expired_time'),
    redeemed_time: timeIn(row, 'redeemed_time'),
    redeemer: wholeIn(row, 'used_user_id'),
    maker: wholeIn(row, 'user_id'),
  };
}
