import { useRef, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';

interface Props {
  title: string;
  /** States the consequences. */
  text: ReactNode;
  action: string;
  danger?: boolean | undefined;
  /** Above the remark: further choices. */
  children?: ReactNode;
  /** The dialog closes on success only. The callback reports its own failures. */
  onConfirm: (remark: string) => Promise<unknown>;
  onClose: () => void;
}

const longestRemark = 255;

/** Confirms an action that needs a remark. */
export function RemarkDialog({ title, text, action, danger = false, children, onConfirm, onClose }: Props) {
  const { t } = useTranslation(['paymentOrder', 'shared']);
  const [remark, setRemark] = useState('');
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const send = async (close: () => void) => {
    if (remark.trim() === '') {
      setMissing(true);
      return field.current?.focus();
    }
    setBusy(true);
    try {
      await onConfirm(remark.trim());
      close();
    } catch {
      // The failed request shows its own error; the dialog stays open for another try.
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      text={text}
      width={440}
      initialFocus={field}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t('shared:cancel')}</Button>
          <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={() => void send(close)}>
            {action}
          </Button>
        </>
      )}
    >
      <div className="grid grid-cols-1 gap-4">
        {children}
        <Field
          label={t('remark')}
          hint={t('remarkHint')}
          error={missing && remark.trim() === '' ? t('shared:invalid_required') : undefined}
        >
          {(aria) => (
            <textarea
              {...aria}
              ref={field}
              rows={2}
              maxLength={longestRemark}
              className="box block resize-y py-2"
              value={remark}
              onChange={(event) => setRemark(event.target.value)}
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}
