import { ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';

export const pageSizes = [10, 15, 30, 50, 100] as const;

interface Props {
  page: number;
  size: number;
  total: number;
  /** There are more rows than `total`, an unknown number. */
  more?: boolean | undefined;
  /** Whether a next page exists; derived from `total` by default. */
  hasNext?: boolean | undefined;
  /** Replaces "1–10 of 50", e.g. with totals of the list. */
  summary?: ReactNode;
  /** Quiet text about the list. */
  note?: ReactNode;
  /** Without page sizes and links. */
  unpaged?: boolean | undefined;
  onPage: (page: number) => void;
  onSize: (size: number) => void;
}

/** The range shown, the page size, and links to other pages. */
export function Pager({ page, size, total, more = false, hasNext, summary, note, unpaged, onPage, onSize }: Props) {
  const { t } = useTranslation('shared');
  const phone = useIsPhone();
  const counted = Math.max(1, Math.ceil(total / size));
  const pages = (hasNext ?? page < counted) ? Math.max(counted, page + 1) : Math.max(page, more ? 1 : counted);
  const range = t('range', {
    from: formatWhole(total === 0 ? 0 : (page - 1) * size + 1),
    to: formatWhole(more ? page * size : Math.min(total, page * size)),
    total: more ? t('atLeast', { total: formatWhole(total) }) : formatWhole(total),
  });
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-x-2 gap-y-1 py-1 pr-3 pl-4 text-13 text-text2 tabular-nums">
      <span>{summary ?? range}</span>
      {note && <span className="mr-1 ml-auto text-12 text-text3 max-sm:order-last max-sm:w-full">{note}</span>}
      <nav
        aria-label={t('pages')}
        className={cx('flex items-center gap-1 empty:hidden max-sm:ml-auto', !note && 'ml-auto')}
      >
        {!unpaged && (total > pageSizes[0] || size !== pageSizes[0]) && <Sizes size={size} onSize={onSize} />}
        {!unpaged && pages > 1 && (
          <>
            <IconButton
              label={t('previousPage')}
              icon={ChevronLeft}
              size="sm"
              disabled={page <= 1}
              onClick={() => onPage(page - 1)}
            />
            {!phone &&
              around(page, pages, more).map((at, index) =>
                at === 0 ? (
                  <span key={`gap${index}`}>…</span>
                ) : (
                  <PageButton key={at} at={at} on={at === page} onPage={onPage} />
                ),
              )}
            <IconButton
              label={t('nextPage')}
              icon={ChevronRight}
              size="sm"
              disabled={page >= pages}
              onClick={() => onPage(page + 1)}
            />
          </>
        )}
      </nav>
    </div>
  );
}

function Sizes({ size, onSize }: Pick<Props, 'size' | 'onSize'>) {
  const { t } = useTranslation('shared');
  const sizes = [...new Set([...pageSizes, size])].toSorted((a, b) => a - b);
  return (
    <label className="relative mr-2 flex items-center gap-2 last:mr-0">
      <span className="max-sm:sr-only">{t('rows')}</span>
      <select
        value={size}
        onChange={(event) => onSize(Number(event.target.value))}
        className="h-7 appearance-none rounded-full border border-line2 bg-card pr-7 pl-3 text-13 text-text max-sm:h-10"
      >
        {sizes.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <Icon of={ChevronDown} size={14} className="pointer-events-none absolute right-2.5" />
    </label>
  );
}

function PageButton({ at, on, onPage }: { at: number; on: boolean; onPage: (page: number) => void }) {
  const { t } = useTranslation('shared');
  return (
    <button
      type="button"
      aria-label={t('page', { page: at })}
      aria-current={on ? 'page' : undefined}
      onClick={() => onPage(at)}
      className={cx(
        'h-7 min-w-7 rounded-[calc(var(--radius-control)-1px)] px-1.5',
        on ? 'bg-fill font-title text-text' : 'hover:bg-hover',
      )}
    >
      {at}
    </button>
  );
}

/** First page, last page (if known) and the neighbours; 0 is a gap. */
function around(page: number, pages: number, open: boolean): number[] {
  if (open) return [...around(page, Math.min(pages, page + 1), false), ...(pages > page ? [0] : [])];
  if (pages <= 7) return Array.from({ length: pages }, (_, index) => index + 1);
  const wanted = [1, page - 1, page, page + 1, pages].filter((at) => at >= 1 && at <= pages);
  const list = [...new Set(wanted)].toSorted((a, b) => a - b);
  return list.flatMap((at, index) => {
    const gap = at - (list[index - 1] ?? at);
    if (gap === 2) return [at - 1, at];
    return gap > 2 ? [0, at] : [at];
  });
}
