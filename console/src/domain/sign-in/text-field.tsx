import { TriangleAlert } from 'lucide-react';
import { useId, type ComponentPropsWithRef, type ReactNode } from 'react';
import { Icon } from '#ui/basic/icon.tsx';

export interface TextFieldProps extends ComponentPropsWithRef<'input'> {
  label: string;
  error: string | undefined;
  /** Link at the right of the label. */
  aside?: ReactNode;
  /** At the right end inside the box. */
  children?: ReactNode;
}

/** A field of the sign-in card without the form library, which would double the page's scripts. */
export function TextField({ label, error, aside, children, ...input }: TextFieldProps) {
  const id = useId();
  return (
    <div className="relative">
      <label htmlFor={id} className="mb-1.5 block text-13 font-title">
        {label}
      </label>
      <div className="relative">
        <input
          id={id}
          maxLength={255}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          className={`box h-10 max-sm:h-11 ${children ? 'pr-11' : ''}`}
          {...input}
        />
        {children && <div className="absolute inset-y-0 right-1 flex items-center">{children}</div>}
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 flex items-center gap-1.5 text-12 text-bad">
          <Icon of={TriangleAlert} size={14} />
          {error}
        </p>
      )}
      {/* Last in the DOM, so that Tab goes from field to field. */}
      {aside && <div className="absolute top-0 right-0 text-13">{aside}</div>}
    </div>
  );
}
