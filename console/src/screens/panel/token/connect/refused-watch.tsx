import type { Log } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { useRefusalAdvice } from '#domain/refusal/refusal-advice.tsx';
import { refusalOf, useRefusalText } from '#domain/refusal/refusal-text.ts';
import { Status } from '#ui/feedback/status.tsx';

/** Shows that calls with the token are refused, with reason and advice. */
export function RefusedWatch({ row }: { row: Log }) {
  const { t } = useTranslation(['refusal', 'token']);
  const { reason } = useRefusalText();
  const { text, link, label } = useRefusalAdvice(row);
  const { count = 1 } = refusalOf(row) ?? {};
  return (
    <>
      <Status
        kind="refused"
        text={t('refused', { reason: reason(row) })}
        note={count > 1 ? `×${formatWhole(count)}` : undefined}
      />
      <span className="min-w-0 break-words text-text">{text}</span>
      {link && (
        <Button size="sm" render={link}>
          {label}
        </Button>
      )}
      <Link to="/panel/log" search={{ id: row.id }} className="text-accent hover:underline">
        {t('token:showInLog')}
      </Link>
    </>
  );
}
