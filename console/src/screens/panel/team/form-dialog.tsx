import { useRef, type ReactNode, type SubmitEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';

interface Props {
  title: string;
  text?: ReactNode;
  action: string;
  busy: boolean;
  /** Pixels; 440 if left out. */
  width?: 440 | 600 | undefined;
  /** Resolves with whether the dialog closes. */
  onSubmit: () => Promise<boolean>;
  onClose: () => void;
  children: ReactNode;
}

/** A small form in a dialog; Enter submits it. */
export function FormDialog({ title, text, action, busy, width = 440, onSubmit, onClose, children }: Props) {
  const { t } = useTranslation('shared');
  const place = useRef<HTMLFormElement>(null);
  const submit = (close: () => void) => (event: SubmitEvent) => {
    event.preventDefault();
    if (!busy) void onSubmit().then((done) => done && close());
  };
  return (
    <Dialog
      title={title}
      text={text}
      width={width}
      initialFocus={() => place.current?.querySelector('input')}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button variant="primary" busy={busy} onClick={() => place.current?.requestSubmit()}>
            {action}
          </Button>
        </>
      )}
    >
      {(close) => (
        <form ref={place} noValidate onSubmit={submit(close)} className="grid grid-cols-1 gap-4">
          {children}
          {/* Makes Enter submit. */}
          <button type="submit" hidden />
        </form>
      )}
    </Dialog>
  );
}
