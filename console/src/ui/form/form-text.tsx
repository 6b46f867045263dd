import { Eye, EyeOff } from 'lucide-react';
import { useId, useState, type HTMLInputAutoCompleteAttribute } from 'react';
import type { FieldPath, FieldValues } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Field } from './field.tsx';
import { useFormField, type FormFieldProps } from './use-form-field.ts';

interface TextProps {
  placeholder?: string | undefined;
  autoComplete?: HTMLInputAutoCompleteAttribute | undefined;
  autoFocus?: boolean | undefined;
  maxLength?: number | undefined;
}

interface LineProps {
  type?: 'text' | 'email' | 'url' | undefined;
  /** Type of the on-screen keyboard. */
  inputMode?: 'numeric' | undefined;
  /** Called after each change with the whole text. */
  onTyped?: ((text: string) => void) | undefined;
  mono?: boolean | undefined;
  /** Suggestions while typing; other text is allowed. */
  suggestions?: readonly string[] | undefined;
}

const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** A single-line text field. */
export function FormText<T extends FieldValues, N extends FieldPath<T>, Out>(
  props: FormFieldProps<T, N, Out> & TextProps & LineProps,
) {
  const { type = 'text', mono, suggestions, placeholder, autoComplete = 'off', autoFocus, maxLength, disabled } = props;
  const { inputMode, onTyped } = props;
  const { value, change, blur, ref, shell } = useFormField(props);
  const list = useId();
  return (
    <Field {...shell}>
      {(aria) => (
        <>
          <input
            {...aria}
            {...{ type, inputMode, placeholder, autoComplete, autoFocus, maxLength, disabled }}
            ref={ref}
            list={suggestions && list}
            className={cx('box', mono && 'font-mono text-13')}
            value={asText(value)}
            onChange={(event) => {
              change(event.target.value);
              onTyped?.(event.target.value);
            }}
            onBlur={blur}
          />
          {suggestions && (
            <datalist id={list}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

/** A password field with a reveal button. */
export function FormPassword<T extends FieldValues, N extends FieldPath<T>, Out>(
  props: FormFieldProps<T, N, Out> & TextProps,
) {
  const { placeholder, autoComplete = 'current-password', autoFocus, maxLength, disabled } = props;
  const { t } = useTranslation('shared');
  const [clear, setClear] = useState(false);
  const { value, change, blur, ref, shell } = useFormField(props);
  return (
    <Field {...shell}>
      {(aria) => (
        <div className="relative">
          <input
            {...aria}
            {...{ placeholder, autoComplete, autoFocus, maxLength, disabled }}
            ref={ref}
            type={clear ? 'text' : 'password'}
            className="box pr-10"
            value={asText(value)}
            onChange={(event) => change(event.target.value)}
            onBlur={blur}
          />
          <IconButton
            label={t(clear ? 'hideNamed' : 'revealNamed', { name: props.label })}
            icon={clear ? EyeOff : Eye}
            size="sm"
            aria-pressed={clear}
            onClick={() => setClear((now) => !now)}
            className="absolute! top-1/2 right-1 -translate-y-1/2"
          />
        </div>
      )}
    </Field>
  );
}

/** A multi-line text field; `mono` for JSON and lists. */
export function FormTextarea<T extends FieldValues, N extends FieldPath<T>, Out>(
  props: FormFieldProps<T, N, Out> & TextProps & { rows?: number | undefined; mono?: boolean | undefined },
) {
  const { rows = 3, mono, placeholder, autoFocus, maxLength, disabled } = props;
  const { value, change, blur, ref, shell } = useFormField(props);
  return (
    <Field {...shell}>
      {(aria) => (
        <textarea
          {...aria}
          {...{ rows, placeholder, autoFocus, maxLength, disabled }}
          ref={ref}
          spellCheck={!mono}
          className={cx('box block resize-y py-2', mono && 'font-mono text-13/5')}
          value={asText(value)}
          onChange={(event) => change(event.target.value)}
          onBlur={blur}
        />
      )}
    </Field>
  );
}
