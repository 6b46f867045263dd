import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { formatPlain, formatWhole } from '#ui/format/number.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

/** As vendors write it: 131072 and 128000 are `128K`, 1048576 and 1000000 are `1M`. */
function shortSize(tokens: number): string {
  // 128000 is a multiple of both.
  const unit = tokens % 1000 !== 0 && tokens % 1024 === 0 ? 1024 : 1000;
  const thousands = Math.round(tokens / unit);
  return thousands < 1000 ? `${thousands}K` : `${formatPlain(thousands / unit, 2)}M`;
}

/** The published context length of a model; `bare`: only the number, next to a name. */
export function ContextLength({ tokens, bare = false }: { tokens: number; bare?: boolean }) {
  const { t } = useTranslation('shared');
  const size = shortSize(tokens);
  return (
    <Tooltip text={t('contextText', { tokens: formatWhole(tokens) })}>
      <span className={cx('text-12 whitespace-nowrap tabular-nums', bare && 'flex-none text-text3')}>
        {bare ? size : t('context', { size })}
      </span>
    </Tooltip>
  );
}
