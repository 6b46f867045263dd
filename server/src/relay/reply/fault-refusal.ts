import { isDamage, isOutage } from '#db/outage.ts';
import { isOutOfFiles } from '#process/out-of-files.ts';
import { UnwrittenCall } from '#quota/journal.ts';
import {
  cannotRecord,
  databaseDamaged,
  databaseUnavailable,
  internalError,
  outOfFiles,
  RelayError,
} from './relay-error.ts';

/** The refusal for any error: itself if it is one, else a 5xx with the error as its `cause`, which the log prints. */
export function refusalForFault(error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  const refusal = fromFault(error);
  refusal.cause = error;
  return refusal;
}

function fromFault(error: unknown): RelayError {
  if (isOutOfFiles(error)) return outOfFiles();
  if (error instanceof UnwrittenCall) return cannotRecord();
  if (isDamage(error)) return databaseDamaged();
  return isOutage(error) ? databaseUnavailable() : internalError();
}
