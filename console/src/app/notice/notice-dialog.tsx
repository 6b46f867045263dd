import { Bell } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useStore } from '#api/store.ts';
import { OperatorContent } from '#content/operator-content.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { closeNotice, notice } from './notice-store.ts';

/** The announcement; its date is unknown. */
export function NoticeDialog() {
  const { t } = useTranslation();
  const { text } = useStore(notice);
  const done = useRef<HTMLButtonElement>(null);
  const [quiet, setQuiet] = useState(false);
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
    </Dialog>
  );
}
