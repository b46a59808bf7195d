/** The timeline of a request as people read it: each thing once, with how long it took. Pure. */
import type { Schemas } from "@/lib/api";
import { deedWords, eventWords, keyWords } from "@/lib/deeds";
import { kindWords, sentence } from "@/lib/format";

type Moment = Schemas["MomentRead"];

export interface Line {
  key: string;
  kind: Moment["kind"];
  at: string;
  until: string | null;
  words: string;
  status: string | null;
  /** What it said of itself: a message, or why it failed. */
  said: string | null;
  log: string[];
  /** The operation that it leads to. */
  operation: string | null;
}

/** A task is told when it is queued, begins and ends: one line, at the last of them, since the first. */
export function told(timeline: readonly Moment[]): Line[] {
  const lines: Line[] = [];
  const tasks = new Map<string, Line>();
  timeline.forEach((moment, index) => {
    if (isAskingForTasks(moment)) return;
    const line = lineOf(moment, `${index}`);
    const before = moment.kind === "task" ? tasks.get(moment.id) : undefined;
    if (!before) {
      lines.push(line);
      if (moment.kind === "task") tasks.set(moment.id, line);
      return;
    }
    Object.assign(before, {
      status: line.status,
      said: line.said ?? before.said,
      log: line.log,
      until: moment.status === "running" ? null : moment.at,
    });
  });
  return lines;
}

const OPERATION = /^opn_/;

function lineOf(moment: Moment, key: string): Line {
  const details = moment.details as Record<string, unknown>;
  const error = details.error as { message?: string } | null | undefined;
  return {
    key,
    kind: moment.kind,
    at: moment.at,
    until: text(details.ended_at) ?? text(details.finished_at),
    words: WORDS[moment.kind](moment),
    status: moment.kind === "event" || moment.kind === "request" ? null : moment.status,
    said: said(moment, details, error?.message),
    log: Array.isArray(details.log) ? details.log.map(String) : [],
    operation: OPERATION.test(moment.id) ? moment.id : text(details.operation_id),
  };
}

function said(
  moment: Moment,
  details: Record<string, unknown>,
  error: string | undefined,
): string | null {
  if (error) return error;
  if (moment.kind === "task")
    return text(details.error_message) ?? exit(details.exit_code as number | null);
  const reason = text(details.reason);
  if (moment.kind === "refusal" && Array.isArray(details.errors))
    return [text(details.message), ...details.errors.map(faultWords)].filter(Boolean).join(" ");
  return text(details.message) ?? (reason && `Reason: ${reason}`);
}

function faultWords({ location, message }: { location: string; message: string }): string {
  return `${location}: ${message}`;
}

function exit(code: number | null | undefined): string | null {
  return code ? `It ended with exit code ${code}.` : null;
}

const STEP = /^step (\d+), (.+): \w+$/;
const TASK = /^(\S+) (\S+) on \S+/;
const NAMELESS = /^\d+-[a-z-]+-[0-9a-f]+$/;
const TASKS: Record<string, string> = {
  "access-sync": "People and keys set",
  exec: "Command",
  get: "File fetched",
  packages: "Packages",
  probe: "Look",
  put: "Files put",
  service: "Service",
  wipe: "Machine wiped",
};

const WORDS: Record<Moment["kind"], (moment: Moment) => string> = {
  event: ({ text }) => eventWords(text),
  operation: ({ text, details }) => {
    const [what = ""] = text.split(" ");
    return kindWords(String(details.kind ?? what), what);
  },
  step: ({ text }) => {
    const [, number, name] = STEP.exec(text) ?? [];
    return name ? `${sentence(name)} (step ${number})` : text;
  },
  task: ({ text }) => {
    const [, kind = "", key] = TASK.exec(text) ?? [];
    const name = key?.split("/").at(-1);
    if (!name) return text;
    return NAMELESS.test(name) ? `${TASKS[kind] ?? sentence(kind)} on a machine` : sentence(name);
  },
  request: (moment) => `${actor(moment)} ${deedWords(action(moment))}`,
  refusal: (moment) => `${actor(moment)} was refused: ${keyWords(action(moment)).toLowerCase()}`,
};

function actor({ details }: Moment): string {
  return actorWords((details.actor ?? {}) as { kind?: string; name?: string });
}

/** An operation acts in the name of whoever asked for it; its id is no name. */
export function actorWords({ kind, name }: { kind?: string; name?: string }): string {
  return kind === "operation" || kind === "watch" ? "The app" : (name ?? "Somebody");
}

/** The tasks stand in the timeline themselves. */
function isAskingForTasks(moment: Moment): boolean {
  return moment.kind === "request" && action(moment) === "apps.task.create";
}

function action({ text }: Moment): string {
  return text.split(" ").at(-1) ?? text;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** "+3.2 s": when something was, seen from the first of all. */
export function since(first: string, at: string): string {
  const seconds = (Date.parse(at) - Date.parse(first)) / 1000;
  if (!Number.isFinite(seconds) || seconds < 0) return "–";
  if (seconds < 60) return `+${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const [minutes, rest] = [Math.floor(whole / 60), `${whole % 60}`.padStart(2, "0")];
  if (minutes < 60) return `+${minutes}:${rest} min`;
  return `+${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
