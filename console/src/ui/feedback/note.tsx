import { CircleCheck, Info, Snowflake, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';

const looks = {
  info: [Info, 'bg-sunk text-text2'],
  ok: [CircleCheck, 'bg-ok-soft text-ok'],
  warn: [TriangleAlert, 'bg-warn-soft text-warn'],
  bad: [TriangleAlert, 'bg-bad-soft text-bad'],
  ice: [Snowflake, 'bg-ice-soft text-ice'],
} as const;

/** An inline message: a test result, a warning about a setting. `live` announces it when it appears. */
export function Note({
  tone = 'info',
  live = false,
  children,
}: {
  tone?: keyof typeof looks;
  live?: boolean;
  children: ReactNode;
}) {
  const [icon, look] = looks[tone];
  return (
    <div
      {...(live && { role: tone === 'bad' ? 'alert' : 'status' })}
      className={cx('flex items-start gap-2.5 rounded-control px-3 py-2.5 text-13', look)}
    >
      <Icon of={icon} className="mt-px" />
      <div className="min-w-0 flex-1 break-words">{children}</div>
    </div>
  );
}
