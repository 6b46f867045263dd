import { useController, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Field } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import { FieldRow } from '#ui/overlay/drawer-section.tsx';
import type { GroupBody, GroupValues } from './user-group-values.ts';

const usualCalls = 100;

/** How long calls wait while all channels of their model are at limits; empty: they are refused. */
export function WaitField({ control }: { control: Control<GroupValues, unknown, GroupBody> }) {
  const { t } = useTranslation('userGroup');
  const { field, fieldState } = useController({ control, name: 'limit_wait' });
  const message = useFieldMessage();
  const wait = field.value ?? null;
  // Errors of the two members are one for the reader.
  const error = fieldState.error as { seconds?: { message?: string }; calls?: { message?: string } } | undefined;
  return (
    <FieldRow>
      <Field label={t('waitSeconds')} optional hint={t('waitHint')} error={message(error?.seconds?.message)}>
        {(aria) => (
          <NumberBox
            aria={aria}
            inputRef={field.ref}
            value={wait?.seconds ?? null}
            onChange={(seconds) => field.onChange(seconds === null ? null : { calls: usualCalls, ...wait, seconds })}
            onBlur={field.onBlur}
            placeholder={t('waitNone')}
            after={t('waitUnit')}
            whole
          />
        )}
      </Field>
      <Field label={t('waitCalls')} hint={t('waitCallsHint')} error={message(error?.calls?.message)}>
        {(aria) => (
          <NumberBox
            aria={aria}
            inputRef={() => {}}
            value={wait?.calls ?? null}
            onChange={(calls) => wait && field.onChange({ ...wait, calls: calls ?? 0 })}
            onBlur={field.onBlur}
            disabled={!wait}
            whole
          />
        )}
      </Field>
    </FieldRow>
  );
}
