import { Bell } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { useStore } from '#api/store.ts';
import { OperatorContent } from '#content/operator-content.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { closeNotice, notice } from './notice-store.ts';

const Notifications = lazy(async () => ({ default: (await import('./notifications.tsx')).Notifications }));

/** The announcement, whose date is unknown, and the notifications of who is signed in. */
export function NoticeDialog() {
  const { t } = useTranslation();
  const { text } = useStore(notice);
  const done = useRef<HTMLButtonElement>(null);
  const [quiet, setQuiet] = useState(false);
  const { user } = useSession();
  const footer = (close: () => void) => (
    <>
      <label className="mr-auto flex min-h-10 cursor-pointer items-center gap-2.5 text-13 text-text2">
        <Checkbox checked={quiet} onChange={setQuiet} />
        {t('notice.quiet')}
      </label>
      <Button ref={done} variant="primary" saves={false} onClick={close}>
        {t('notice.done')}
      </Button>
    </>
  );
  return (
    <Dialog
      title={t('notice.title')}
      icon={Bell}
      iconTone="text-accent"
      initialFocus={done}
      onClose={() => closeNotice(quiet)}
      footer={footer}
    >
      <div className="text-text2">
        {text ? <OperatorContent content={text} title={t('notice.title')} /> : t('notice.empty')}
      </div>
      {user && (
        <Suspense>
          <Notifications onLeave={() => closeNotice(quiet)} />
        </Suspense>
      )}
    </Dialog>
  );
}
