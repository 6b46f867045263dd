import type { ErrorComponentProps } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { MessagePage } from './message-page.tsx';

/** Replaces a screen that threw while loading or rendering. */
export function CrashPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  const reload = (
    <Button variant="primary" size="lg" icon={RefreshCw} saves={false} onClick={() => location.reload()}>
      {t('crash.reload')}
    </Button>
  );
  return (
    <div role="alert" className="flex min-h-[60vh]">
      <MessagePage title={t('crash.title')} actions={reload}>
        <p>{t('crash.cause')}</p>
        <code className="mt-3 inline-block rounded-[calc(var(--radius-tile)-2px)] bg-fill px-1.5 py-0.5 font-mono text-13">
          {error instanceof Error ? error.message || error.name : String(error)}
        </code>
      </MessagePage>
    </div>
  );
}
