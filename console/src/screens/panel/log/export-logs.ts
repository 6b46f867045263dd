import { userApi, type Envelope } from '@relay-hub/contract';
import type { Translate } from '#i18n/t.ts';
import { call } from '#api/call.ts';
import { ApiError } from '#api/api-error.ts';
import { nativeForm } from '#api/native-form.ts';
import { formatWhole } from '#ui/format/number.ts';
import { saveFile } from '#ui/format/save-file.ts';
import { formatDate } from '#ui/format/time.ts';
import { toast } from '#ui/feedback/toast.ts';
import { countLogs, downloadAddress } from './log-api.ts';
import type { LogFilters } from './log-defaults.ts';

/** Larger exports are left to the browser's own download, which writes to disk as it receives. */
const mostGathered = 500_000;
const rowsAPart = 5000;
/** Pauses before a part is requested again. */
const pausesMs = [500, 2000, 8000];
const lineFeed = 10;

type ExportQuery = LogFilters & { order: string };

/** An export on its way: what has arrived, and the cursor of the rest. */
interface Export {
  pieces: BlobPart[];
  rows: number;
  total: number;
  after: string;
  addressAfter: (cursor: string) => string;
  t: Translate<'log'>;
}

/**
 * Saves the found rows as a file, with their number and a progress bar that survive leaving the page. It is received in
 * parts: a broken connection costs the last one, and the user can resume it later.
 */
export async function exportLogs(query: ExportQuery, admin: boolean, t: Translate<'log'>): Promise<void> {
  const { total, more } = await countLogs(query, admin);
  if (more || total > mostGathered) {
    toast.info(t(more ? 'exportingMore' : 'exportingRows', { total: formatWhole(total) }));
    return follow(downloadAddress(query, admin));
  }
  const addressAfter = (after: string) => downloadAddress(query, admin, { after, limit: rowsAPart });
  return receive({ pieces: [], rows: 0, total, after: '', addressAfter, t });
}

async function receive(work: Export): Promise<void> {
  const { pieces, t } = work;
  const controller = new AbortController();
  const cancel = { label: t('cancelExport'), onClick: () => controller.abort() };
  const bar = toast.progress(t('exportingRows', { total: formatWhole(work.total) }), work.total, cancel);
  const show = (rows: number) => bar.update({ done: Math.min(work.rows + rows, work.total), total: work.total });
  try {
    do {
      const read = () => gather(work.addressAfter(work.after), controller.signal, show);
      const part = await (work.after === '' ? read() : again(read, controller.signal));
      // One blob may leave the memory; many small pieces do not.
      pieces.push(new Blob(part.pieces));
      work.rows += part.rows;
      work.after = part.next;
    } while (work.after !== '');
    saveFile(`log ${formatDate(Date.now() / 1000)}.csv`, pieces, 'text/csv');
  } catch (error) {
    if (controller.signal.aborted) return;
    // Before the first part there is nothing to resume.
    if (work.after === '' || (error instanceof ApiError && !isPassing(error))) throw error;
    const resume = { label: t('exportResume'), onClick: () => void receive(work) };
    toast.error(t('exportBroken', { rows: formatWhole(work.rows), total: formatWhole(work.total) }), {
      action: resume,
    });
  } finally {
    bar.end();
  }
}

const isPassing = (error: ApiError): boolean => error.isNetwork || error.status === 429 || error.status >= 500;

interface Part {
  pieces: BlobPart[];
  rows: number;
  next: string;
}

/** Reads a part, and again after a broken connection. */
async function again(read: () => Promise<Part>, signal: AbortSignal): Promise<Part> {
  for (const pauseMs of pausesMs) {
    try {
      return await read();
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && !isPassing(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return read();
}

function follow(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}

/** The chunks of a part; reports the number of rows received. */
async function gather(address: string, signal: AbortSignal, onRows: (rows: number) => void): Promise<Part> {
  const response = await fetch(address, { signal, headers: nativeForm });
  // Reports the ended session, as every call does, and throws.
  if (response.status === 401) await call(userApi.self);
  if (!response.ok || !response.body) {
    // Refusals under /api are envelopes; a body that is none counts as empty.
    const envelope = (await response.json().catch(() => undefined)) as Envelope<unknown> | undefined;
    const { refusalOf } = await import('#api/failed-call.ts');
    throw await refusalOf(response.status, envelope);
  }
  const pieces: BlobPart[] = [];
  let rows = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { pieces, rows, next: response.headers.get('x-next') ?? '' };
    pieces.push(value);
    for (const byte of value) if (byte === lineFeed) rows++;
    onRows(rows);
  }
}
