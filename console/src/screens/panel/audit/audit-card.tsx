import type { AuditEntry } from '@relay-hub/contract';
import { Time } from '#ui/format/time.tsx';
import { AuditAction, AuditObject, AuditResult } from './audit-cells.tsx';

/** An entry on a phone: what, how it ended; to what; who and when. */
export function AuditCard({ row }: { row: AuditEntry }) {
  return (
    <>
      <div className="flex items-center gap-2 text-15">
        <span className="min-w-0 flex-1">
          <AuditAction row={row} />
        </span>
        <AuditResult row={row} />
      </div>
      <div className="mt-1 flex min-w-0 text-13 text-text2">
        <AuditObject row={row} />
      </div>
      <div className="mt-1 flex items-center gap-2 text-12 text-text3">
        <span className="min-w-0 truncate">
          {row.actor_name} · {row.ip}
        </span>
        <span className="ml-auto flex-none">
          <Time at={row.created_time} />
        </span>
      </div>
    </>
  );
}
