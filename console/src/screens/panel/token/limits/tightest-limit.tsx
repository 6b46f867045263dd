import type { Token } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { CapUseBar } from '#domain/token/cap-use-bar.tsx';
import { tightest } from '#domain/token/limit-words.ts';
import { CapUseList } from './cap-use-list.tsx';

/** The limit of which most is used; the others are in the tooltip. */
export function TightestLimit({ token: { use, unlimited_quota: unlimited } }: { token: Token }) {
  const { t } = useTranslation('token');
  const first = tightest(use);
  if (!first) return <span className="text-text3">{t(unlimited ? 'noLimit' : 'quotaOnly')}</span>;
  return (
    <Tooltip
      text={
        <span className="block w-64 py-1">
          <CapUseList uses={use} />
        </span>
      }
    >
      <span className="block max-sm:min-w-44">
        <CapUseBar use={first} more={use.length - 1} brief />
      </span>
    </Tooltip>
  );
}
