import type { Log } from '@relay-hub/contract';
import { Ban } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { useRefusalAdvice } from '#domain/refusal/refusal-advice.tsx';
import { useRefusalText } from '#domain/refusal/refusal-text.ts';

interface Props {
  /** The newest refused call that the other filters find. */
  refused: Log;
  onShow: () => void;
}

/** Shown if only refused calls match: the reason and advice. */
export function LogNoCalls({ refused, onShow }: Props) {
  const { t } = useTranslation('log');
  const { withStatus } = useRefusalText();
  const { text } = useRefusalAdvice(refused);
  return (
    <EmptyState
      icon={Ban}
      title={t('noCallsRefused')}
      text={
        <>
          {withStatus(refused)} · {text}
        </>
      }
      action={<Button onClick={onShow}>{t('showRefused')}</Button>}
    />
  );
}
