import { RotateCw, TriangleAlert } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';

interface Props {
  /** The server's message. */
  text?: string | undefined;
  busy?: boolean | undefined;
  onRetry?: (() => void) | undefined;
}

/** Replaces content that could not be loaded. */
export function ErrorState({ text, busy, onRetry }: Props) {
  const { t } = useTranslation('shared');
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <Icon of={TriangleAlert} size={18} className="size-6! text-bad" />
      <p className="mt-4 font-title">{t('failed')}</p>
      <p className="mt-1 max-w-md text-13 text-text2">{text || t('failedText')}</p>
      {onRetry && (
        <Button className="mt-4" icon={RotateCw} busy={busy} onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </div>
  );
}

interface StripProps extends Props {
  /** With the border of a card, where it is in none. */
  framed?: boolean;
}

/** Above stale rows: what happened, since when, and Retry. */
export function StaleStrip({ text, busy, onRetry, framed = false }: StripProps) {
  const { t } = useTranslation('shared');
  return (
    <div
      role="alert"
      className={cx(
        'flex min-h-12 items-center gap-2.5 bg-bad-soft py-1.5 pr-3 pl-4 text-13 text-bad',
        framed && 'rounded-card border border-line',
      )}
    >
      <Icon of={TriangleAlert} />
      <span className="min-w-0 flex-1">{text}</span>
      {onRetry && (
        <Button size="sm" busy={busy} onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </div>
  );
}
