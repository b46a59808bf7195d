/** Addresses within the project that one is in. */
import { type Project, useThisProject } from "@/lib/me";

export function projectPath(project: Project, ...words: string[]): string {
  return ["/projects", project.org.slug, project.slug, ...words.map(encodeURIComponent)].join("/");
}

/** `const path = usePath(); path("machines", allocation.id)`. */
export function usePath(): (...words: string[]) => string {
  const project = useThisProject();
  return (...words) => projectPath(project, ...words);
}
