/** A name, and the slug that addresses use: made from the name until somebody writes their own. */
import { TextInput } from "@mantine/core";
import { slugOf } from "@/lib/slug";

export interface Named {
  name: string;
  /** Null while it follows the name. */
  slug: string | null;
}

export const NAMELESS: Named = { name: "", slug: null };

export function slugIn(named: Named): string {
  return named.slug ?? slugOf(named.name);
}

export function NameAndSlug({
  value,
  onChange,
  placeholder,
}: {
  value: Named;
  onChange: (value: Named) => void;
  placeholder?: string;
}) {
  return (
    <>
      <TextInput
        label="Name"
        placeholder={placeholder}
        required
        withAsterisk={false}
        maxLength={100}
        data-autofocus
        value={value.name}
        onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
      />
      <TextInput
        label="Slug"
        description="Stands in addresses and command lines, and stays: small letters, digits, dashes."
        required
        withAsterisk={false}
        pattern="[a-z][a-z0-9\-]{0,38}[a-z0-9]"
        spellCheck={false}
        autoComplete="off"
        value={slugIn(value)}
        onChange={(event) => onChange({ ...value, slug: event.currentTarget.value })}
      />
    </>
  );
}
