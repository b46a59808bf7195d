import { describe, expect, it } from "vitest";
import { type Action, cellWords, given, isStale, rowActions, sortable } from "@/lib/views";

const VIEW = {
  key: "parcel",
  columns: [
    { name: "parcel", title: "Parcel", type: "integer" as const },
    { name: "state", title: "State", type: "text" as const },
  ],
};

function action(name: string, properties: object | null, component: string | null = null): Action {
  return {
    name,
    title: name,
    description: null,
    input: properties && { type: "object", properties },
    output: null,
    permission: "x.y",
    allowed: true,
    lock: "none",
    component,
  } as Action;
}

describe("the actions of a row", () => {
  const opens = action("open", { parcel: { type: "integer" }, note: { type: "string" } });

  it("are those that take what tells the rows apart", () => {
    const others = [action("send", { text: { type: "string" } }), action("tidy", null)];
    expect(rowActions(VIEW, [opens, ...others])).toEqual([opens]);
  });

  it("leave out one that means something else by the name", () => {
    expect(rowActions(VIEW, [action("open", { parcel: { type: "string" } })])).toEqual([]);
  });

  it("begin with the row's own value", () => {
    const row = { key: "7", data: { parcel: 7, state: "here" } };
    expect(given(VIEW, opens, row)).toEqual({ input: { parcel: 7 }, member: null });
  });

  it("act on the member that a row names", () => {
    const view = {
      key: "place",
      columns: [
        { name: "place", title: "Place", type: "text" as const },
        { name: "member", title: "Member", type: "text" as const },
      ],
    };
    const sweep = action("sweep", null, "hall");
    expect(rowActions(view, [sweep])).toEqual([sweep]);
    expect(given(view, sweep, { key: "a", data: { place: "a", member: "hall-1" } })).toEqual({
      input: {},
      member: "hall-1",
    });
  });
});

describe("a cell", () => {
  it("is said by the type of its column", () => {
    expect(cellWords("duration", 90)).toBe("1 min 30 s");
    expect(cellWords("bytes", 2048)).toBe("2.0 KiB");
    expect(cellWords("boolean", false)).toBe("No");
    expect(cellWords("integer", 12_345)).toBe("12,345");
    expect(cellWords("text", ["a", "b"])).toBe("a, b");
    expect(cellWords("text", null)).toBe("");
  });

  it("that does not fit its column is shown as it is, and sorts last", () => {
    expect(cellWords("integer", "many")).toBe("many");
    expect(sortable("integer", "many")).toBeNull();
  });

  it("sorts moments by time", () => {
    expect(sortable("time", "1970-01-01T00:00:01Z")).toBe(1000);
  });
});

it("calls a view old when nobody has looked for a while", () => {
  expect(isStale("1970-01-01T00:00:00Z", 200_000)).toBe(true);
  expect(isStale("1970-01-01T00:00:00Z", 20_000)).toBe(false);
  expect(isStale(null, 1)).toBe(false);
});
